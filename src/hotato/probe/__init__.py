"""What is asked of assertions beside a verdict: what a failure needs, and which assertions calls suggest."""
