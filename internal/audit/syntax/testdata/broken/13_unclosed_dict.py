table = {'a': 1, 'b': 
print(table)
