"""Studies: grids of problems and synthesizers, run, kept, analysed and drawn."""
