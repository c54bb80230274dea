import
print('after')
