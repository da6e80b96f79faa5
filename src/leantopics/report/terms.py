"""The few terms of a report, each explained in one or two plain sentences."""

TERMS = {
    "theme": "A broad topic: what the bursts of words in documents bear out. A theme "
    "is made of finer topics.",
    "topic": "Words that occur together in documents more than elsewhere. A topic has "
    "its own probabilities for its salient words only.",
    "group": "Topics that the tree joins. BIC prefers to keep them apart; groups are "
    "for reading.",
    "share": "Part of all words of all documents, shared words included.",
    "lift": "How many times as probable a word is in the topic as in the shared "
    "vocabulary. Bars are on a logarithmic scale.",
    "salient": "A word that has its own probability in a topic. All other words keep "
    "their probability in the shared vocabulary.",
    "salience": "The nats that a word saves by having its own probability in a topic, "
    "less their cost. The words that tell most about a topic come first.",
    "coherence": "NPMI, from -1 to 1: how often the first ten words of a topic occur "
    "in the same documents. Above 0.1 they clearly belong together.",
    "stability": "In how many further fits, from other starts, the topic was found "
    "again: some topic there shares at least half of the words that either explains.",
    "shared": "The words that all topics share. They take the place of a stop list.",
    "nat": "A unit of the length of a description: 1 nat is 1.44 bits. If one model is "
    "n nats shorter, the data speak for it by a factor of e to the power of n.",
    "BIC": "The length of the whole description, in nats: the model, plus what it "
    "leaves unexplained. The lowest is best.",
    "price": "How many nats longer the description gets when two groups are joined. A "
    "small price says that they are nearly one; below zero, it gets shorter.",
    "interval": "The range that similar documents might have given, in 95 of 100 "
    "cases. If two ranges overlap, do not rely on the difference.",
    "certified": "Switching any single word or topic on or off would not lower BIC.",
}
