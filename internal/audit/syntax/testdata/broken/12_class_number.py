class 9Lives:
    pass
