print("The Quiet Harbour")
print("The Red Garden")
