answer = 40 +
print(answer)
