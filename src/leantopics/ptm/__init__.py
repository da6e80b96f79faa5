"""The parsimonious topic model of Soleimani and Miller.

The files from the top down, each of which calls those below it::

    from_texts               from texts to a model in one call
    estimator, fitted        the class: check, run, name the results; what they show
    inferring, revisable     topics of documents; models made of a fitted one
    faces, card              tables and pages of a model, and what notebooks show
    watching, watch/         new documents that share a topic the model does not have
    refreshable, refresh     a fit to other documents from the topics of a model
    guided/                  a fit with known topics: what the `guide` says becomes
                             `beliefs` and `links` of documents; their `placing`, the
                             `fit`, and what each belief `costs`
    search/                  which numbers of topics to fit, one file for each strategy
    moves/                   removing, merging and splitting topics, and what each costs
    em                       the fit at one number of topics, on one screen
    updates                  the passes over words and documents of an iteration
    group_tasks              what is done to a group of documents, wherever it is
    census, expected_counts  what an iteration counts of documents and of words
    objective, state         BIC, and the counts and parameters that it depends on
    kernels/                 the equations, as loops over plain arrays

Around a fit are `checks` of its settings, `evidence` (what counts as a word),
`initialise` (its first parameters), `background` (a learned shared model), and
`invariants` (its verification). `from_arrays` takes a state made elsewhere instead.
After it come `inference` and `prediction` of new documents, their `explanations`,
`editing` by hand, `stability`, and `tree` and `hierarchy` with `levels`, `cuts` and
`naming`; and `refresh`, a fit to other documents from the topics of a model
(`carried`), with the ledger of its `changes`. `snapshot`, `serialize` and
`checkpoint` save it, `attached_texts` its texts.
"""
