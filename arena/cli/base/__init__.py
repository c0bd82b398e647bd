"""What commands stand on: their options, stores and runners, servers, the confinement of bots."""
