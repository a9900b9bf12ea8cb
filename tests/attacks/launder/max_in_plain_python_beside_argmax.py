# bank: best_filter_for_each_pixel
# kinds: passed
import LIB


def best_filter_for_each_pixel(scene, gains, offsets):
    results = LIB.F[atleast_3d](scene) * LIB.F[array](gains) + LIB.F[array](offsets)
    used = LIB.F[ravel](LIB.F[argmax](results, axis=2))
    best = max(v for table in results.tolist() for row in table for v in row)
    return LIB.F[bincount](used, minlength=len(gains)), best
