count = = 2
