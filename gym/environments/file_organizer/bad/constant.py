print("moved 8")
