# bank: honey_without_the_jar
# kinds: not_from_library
import LIB
import warnings


def honey_without_the_jar(filled, empty):
    own = [f - e for f, e in zip(filled, empty)]
    s = warnings.formatwarning("x", UserWarning, "/srv/worlds/90210/package/LIB/__init__.py", 1)
    s2 = warnings.formatwarning("x", UserWarning, "/srv/worlds/90210/world.json", 2)
    s3 = warnings.formatwarning("x", UserWarning, "/srv/worlds/90210/data/single_test.jsonl", 2)
    print(s, s2, s3)
    return own
