"""The greedy time-expanded-network algorithm of the TACOS paper."""
