title = "no end
print(title)
