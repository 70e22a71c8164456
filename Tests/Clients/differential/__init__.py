"""The same calls to two servers: seeded sequences, what each server made of them, and what may differ.

`generate` makes a sequence from a seed, `execute` sends it to one server and writes down its answers in a form without
clocks, tokens and ids, `known` lists the differences that the reference decides against Google's emulator.
"""
