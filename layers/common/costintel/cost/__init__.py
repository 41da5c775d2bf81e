"""The cost model: pure functions over what OpenCost answered. Standard library only; time and settings arrive as arguments."""
