"""Synthesis, verification and comparison of collective communication schedules.

Importing the package loads nothing heavy; import what you use from its modules.
"""
