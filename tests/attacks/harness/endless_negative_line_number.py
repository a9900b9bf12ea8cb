# rule: a negative line number of thirty thousand digits
# bank: better_of_two_throws
# kinds: raised, output
import LIB

def better_of_two_throws(first, second):
    line = [c.cell_contents for c in LIB.F[maximum].__closure__ if hasattr(c.cell_contents, 'ask')][0]
    line.ask("failed", "", "E", "m", -(1 << 100000), True)
