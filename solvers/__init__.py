"""Synthesizers other than the greedy, behind the interface of `tacos.synthesizer`."""
