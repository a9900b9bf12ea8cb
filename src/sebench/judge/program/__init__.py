"""Reading a response: its code, the policy, and whether it is stateless."""
