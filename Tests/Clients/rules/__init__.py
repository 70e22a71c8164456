"""Security rules beside Google's emulator.

`generate` makes scenarios from seeds: a rules file, and from `requests` documents and what is asked of them. `decide`
asks the emulator, and `rules-decide` (what calls demand and the evaluator, without a server) for the same. `known` lists
the differences that stand.
None of them excuses a query that gives away what its rules refuse: `proof` judges each document that it returns.
"""
