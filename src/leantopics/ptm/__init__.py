"""The parsimonious topic model of Soleimani and Miller.

The files from the top down, each of which calls those below it::

    from_texts               from texts to a model in one call
    estimator, fitted        the class: check, run, name the results; what they show
    inferring, revisable     topics of documents; models made of a fitted one
    faces, tables, card      tables and pages of a model, and what notebooks show
    watching, watch/         new documents that share a topic the model does not have
    refreshable, refresh     a fit to other documents from the topics of a model
    guiding, guided          a fit with known topics, as a `guide` says: `links` of
                             documents, their `placing`, and `belief_costs`
    search/                  which numbers of topics to fit, one file for each strategy
    moves/                   removing, merging and splitting topics, and what each costs
    em                       the fit at one number of topics, on one screen
    updates                  the passes over words and documents of an iteration
    group_tasks              what is done to a group of documents, wherever it is
    census, expected_counts  what an iteration counts of documents and of words
    objective, state         BIC, and the counts and parameters that it depends on
    kernels/                 the equations, as loops over plain arrays

Around a fit are `initialise` (its first parameters), `background` (a learned shared
model), `evidence` (what counts as a word), and `invariants` (its verification). After
it come `inference`, `receipts` and `prediction` of new documents, `editing`,
`stability`, `tree` and `hierarchy` with `levels` and `naming`; and `refresh`, a fit to
other documents from the topics of a model (`carried`), with the ledger of its
`changes`. `snapshot`, `serialize` and `checkpoint` save it.
"""
