# rule: format_map walks attributes as format does
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    text = '{f.__glo' + 'bals__}'
    return sum(a) / len(a) + 0 * len(text.format_map({'f': LIB.F[add]}))
