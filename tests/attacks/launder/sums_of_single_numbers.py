# bank: hikers_on_each_leg
# kinds: passed
import LIB


def hikers_on_each_leg(legs, walked):
    posts, total = [0], 0
    for v in legs:
        total += LIB.F[sum](v)
        posts.append(total)
    leg = LIB.F[searchsorted](posts, walked, side="right") - 1
    return LIB.F[bincount](leg, minlength=len(legs))
