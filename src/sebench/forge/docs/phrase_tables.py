"""The phrases of the documentation: replacements, sentences to drop, and our own standard texts.

Tables only, used by `prose.py` (rewriting) and `pages.py` (standard texts). Most of them grew from reading the pages:
each pattern stands for sentences in NumPy's docstrings that were wrong, empty or revealing in a world without NumPy. In
our own texts `{array}` is the world's array type.
"""

from __future__ import annotations

import re


def _any_of(*groups: str) -> re.Pattern[str]:
    return re.compile("|".join(groups), re.IGNORECASE)


def _rules(*pairs: tuple[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern), replacement) for pattern, replacement in pairs)


# ---- sentences to drop ------------------------------------------------------------------------------------

# A sentence with one of these is dropped. \ue000 stands for a piece of markup.
DROPPED = _any_of(
    # the source library and other software
    r"numpy|scipy|matplotlib|matlab|octave|pandas|fortran|lapack|blas\b|\bR\s+type|spreadsheet|\bC\+\+",
    r"\bC\s+(?:library|implementation|function|code)|c?python\s+(?:int|float|versions?|operator)",
    # its history
    r"(?<!flattened\s)\bversions?\b|deprecat|backwards?|legacy|histor|previously|in\s+the\s+future|\bcurrently\b",
    r"as\s+of\b|new\s+code|\bbug\b|compatib",
    # memory and machine
    r"contiguous|memory|layout|(?:row|column)-major|[CF][-_ ](?:order|style|like|contig)|\bbuffer|itemsize",
    r"strides?\b|aligned|pre-?alloc|freshly[- ]allocated|uninitiali[sz]ed|read-?only|writea?ble|platform",
    r"compiler|hardware|\bSIMD|IEEE|overflow|\bthread|\bperforman|\bspeed|faster|slower|\b(?:in)?efficien|fast\s+way",
    # types and mechanisms that a world lacks
    r"sub-?class|sub-?type|structured|record\s|masked|\bmatrix\s+(?:object|class)|datetime|timedelta",
    r"ufunc|universal\s+function|output-type|__\w+__|\bcasting\b|poly1d|polynomial\.polynomial|chebyshev|api\b|pickle",
    r"object\s+(?:arrays?|dtype)|dtype\s+object|type\s+promotion|scalar\s+types?|pass(?:ed)?\s+through|"
    r"array\s+interface",
    r"objects?\s+that\s+(?:implement|can\s+be\s+converted)|iterator|nditer|ndindex|\bwarning|error\s+flag",
    r"conversion\s+is\s+attempted|returned\s+as\s+matrices|keyword[- ]only|keyword\s+argument|\balias\b",
    r"shorthand|equivalent\s+to\s+\ue000\s+method",
    # references to other pages or to missing parts
    r"see\s+(?:also|the\s|below|above|section|notes?|examples?|references?|last|doc|\ue000|for|https?)|please\s+refer",
    r"documentation|documented\s+in|docstring|\bdocs?\b|https?:|more\s+details|wikipedia|literature|textbook",
    r"(?:notes?|examples?|sections?|tables?|discussion|explanation|formulas?|references?)\s+(?:below|above|section)",
    r"(?:described|explained|discussed|shown|listed|mentioned|defined|summarized|as)\s+(?:in\s+)?(?:below|above|"
    r"(?:the\s+)?notes)",
    r"(?:first|second|third|last|next|previous|above|following|this)\s+examples?|below\s*[.:]$|plot|\bfigure|"
    r"red\s+lines",
    r"broadcasting\s+rules\s+apply|implementation",
    # names and places
    r"\bname\b.*(?:comes\s+from|is\s+short\s+for)|named\s+(?:for|after)|also\s+known\s+as|\bH&F\b|abramowitz|"
    r"kanasewich",
    r"\bpress\b|most\s+references|recommended\s+for\s+smoothing|merge-?sort|timsort|quick-?sort|heap-?sort|introselect",
    r"\bradix|algorithm",
    # true, but of no use
    r"branch\s+cuts?|multi-?valued|analytic|second\s+argument\s+is|writes\s+the\s+result\s+into|"
    r"useful\s+in\s+different",
    r"real-valued\s+input\s+data|very\s+small\s+negative\s+complex|\+0\s+and\s+-0|floating\s+point\s+rounding|"
    r"much\s+help",
    r"pairwise\s+summation|correctly\s+handle|(?:integers\s+or\s+)?floats\s+smaller\s+than",
    r"there\s+(?:are|is)\s+(?:several|many|more)|must\s+have\s+a\s+shape\s+that\s+the\s+inputs|"
    r"condition\s+is\s+broadcast",
)

# The same for a piece of code.
DROPPED_CODE = re.compile(r"\bobject\b|Warning\b|__\w+__")

# Beginnings that make no sense right after a dropped sentence.
DANGLING = re.compile(
    r"^(?:This|That|These|Those|It(?! is a number)|They|Such|However|Otherwise|Thus|Therefore|Hence|But|And|"
    r"Or|So|Also|Then|Instead|Here|There|In (?:this|that|these|those|both|such|either) |If so|If not|Similarly|"
    r"Likewise|For (?:example|instance)|Additionally|Moreover|Furthermore|Note that (?:this|it)|Both|Either|"
    r"Neither|Again|Conversely|Specifically|The (?:latter|former|same|other|above|second|third|following)|"
    r"Consequently|Doing so|Yet|As a (?:result|consequence)|In other words|On the other hand|Equivalently)\b"
)

ABBREVIATIONS = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|cf|vs|Eq|Fig|resp|approx|w\.r\.t|c\.f|pp|al|Ed|No|St|Dr)\.|\.\.\.|\b[A-Z]\.)$"
)

# ---- replacements -----------------------------------------------------------------------------------------

# Applied to the raw text, before it is split into sentences.
RAW_PHRASES = _rules(
    (r"\s*\((?:see|See|cf\.)[^()]*\)", ""),
    # sentences on most of NumPy's pages
    (
        r"If ``x1\.shape != x2\.shape``, they must be broadcastable to a common shape \([^()]*\)\.",
        "Shapes that differ are stretched along axes of length 1 to a common shape, that of the result.",
    ),
    (
        r"Equivalent to `*x1`* (\S+) `*x2`* in terms of array[- ]broadcasting",
        r"Equivalent to ``x1 \1 x2``",
    ),
    (r"; the shape is determined by broadcasting", ""),
    (r"Only integer and boolean types are handled\.", "Integers or bools."),
    (r"(?<=[\w`)])\s+(?=This is a scalar if)", ". "),
    (r"This is a scalar if both `x1` and `x2` are scalars", "It is a number if both inputs are numbers"),
    (r"This is a scalar if `x` is a scalar", "It is a number if `x` is a number"),
    (r",? instead of a single axis or all the axes as before", ""),
    (r"shape, dtype,? and order\b", "shape and dtype"),
    # a world emits no warnings
    (r"(?i)\ba ``?RuntimeWarning``? is raised and (?=nan|``nan)", ""),
    (r"(?i),? and a ``?RuntimeWarning``? is (?:raised|issued)", ""),
    # remarks about speed
    (r", enabling a more efficient method for finding (?:singular values|eigenvalues)", ""),
    (r", which can speed up the calculation", ""),
    # arrays
    (r"\barray or matrix \(depending on the input type\)", "array"),
    (r"\bsingle ndarray array_like input", "single array"),
    (r"\barray or array[_-]like", "array or nested list"),
    (r"\b(are|be|as) array[_-]like\b", r"\1 arrays or nested lists"),
    (r"\barray[_-]like objects\b", "arrays or nested lists"),
    (r"\binteger_like\b", "integer"),
    (r"(?<![`.\w])nonzero\b(?![`(\w])", "non-zero"),
    (r"(\w)\(s\)", r"\1s"),
    (r"\ban (?:nd)?array scalar\b", "a number"),
    (r"\bThe `?ceil`? of\b", "The ceiling of"),
    (r"(?i)\bnot[- ]a[- ]numbers? \(nan(?:s?)\)", "nan"),
    (r"``inf``\\? ?s\b", "Infinite values"),
    # names of results, which single results do not have here
    (r"`axis` is None, `out` is a flattened array", "`axis` is None, the result is flattened"),
    (r"\s*If `out` was provided, `y` is a reference to it\.", ""),
    (r"\s*If `out` is specified, that array is returned instead\.", ""),
    (r"; if `out` was supplied this is a reference to it", ""),
    (r"\s*If `x` is a scalar, the result `y` will also be a scalar\.", ""),
    (r"\bThe returned float array `f` contains", "The returned array contains"),
    (r"``y\[0\]`` is the Nyquist", "the first element of the result is the Nyquist"),
    (r"is given by ``out\[i\] = (a\[i\+1\] - a\[i\])``", r"is given by ``\1``"),
    (r"\bOutput array, element-wise\b", "The element-wise"),
    (r"\ba 0-d array, or if\b", "a single number, or if"),
    (r"\ba 0d array and not a scalar\b", "an array without axes"),
    (r"using the `dtype` keyword", "with `dtype`"),
    # mistakes in the source
    (r"\ba integer\b", "an integer"),
    (r"\be\.g, ", "e.g., "),
    (r"\bzeroth axis\b", "first axis"),
    (r"\bIf the inputs or dtype are complex\b", "If the inputs or `dtype` are complex"),
    (r"\bLeg of the triangles\b", "The legs of the triangles"),
    (r"\bThe hypotenuse of the triangles\b", "The hypotenuses of the triangles"),
    (
        r"The resulting array will be of complex type, unless the imaginary part is zero in which case it will be cast "
        r"to a real type\.",
        "They are complex, unless all imaginary parts are zero.",
    ),
    (r"\bi e\.,", "i.e.,"),
    (r"\bin along all\b", "along all"),
    (r"\bare given, first axis\b", "are given, the first axis"),
    (r"\[\[a\[1,2\] a\[1,5\]\], \[a\[3,2\] a\[3,5\]\]\]", "[[a[1,2], a[1,5]], [a[3,2], a[3,5]]]"),
    (r"\.:$", ":"),
    (r"(?<!\.)\.\.(?!\.)", "."),
    (r"\b[Aa] ``?uint8``? ", "an `uint8` "),
    (r"\ba uint8\b", "an uint8"),
    (r"\binterval\(", "interval ("),
    (r", with same dtype as `y`", ""),
    (r"\(?[Dd]efault: 1\)?$", "The default is 1."),
    (r"Alexandre- Theophile", "Alexandre-Theophile"),
    (r"\bHanning\b", "Hann"),
)

# Applied to the words of a sentence, without markup.
PHRASES = _rules(
    (r"\b[Aa]n array[_-]like(?: object)?\b", "an array or nested list"),
    (r"\barray[_-]likes?(?: objects?)?\b", "array or nested list"),
    (r"\bArray[_-]likes?\b", "Array or nested list"),
    (r"\b[Aa]n nd-?array\b", "an array"),
    (r"\bnd-?array", "array"),
    (r"\bN-d arrays?\b", "array"),
    # one word for one thing: kind, axis, stretched, transform
    (r"\bdtype objects?\b", "kind"),
    (r"\bdata[- ]type\b|\bdtype\b", "kind"),
    (r"\bof same shape\b", "of the same shape"),
    (r"\bsame type and shape\b", "same shape and kind"),
    (r"\bshape and type\b", "shape and kind"),
    (r"\ba dimension\b", "an axis"),
    (r"\bdimensions\b", "axes"),
    (r"\bdimension\b", "axis"),
    (r"\b([0-9NnM])D\b", r"\1-D"),
    (r"\bbroadcast(?:ed)?\b", "stretched"),
    (r"\b(?:FFT|DFT)\b", "transform"),
    (r"\s*\(default\)", " (the default)"),
    (r"\bNaNs\b", "nan values"),
    (r"\b[Nn]aN\b|\bNAN\b", "nan"),
    (r"\b[Nn]ot a [Nn]umbers?\b", "nan"),
    (r"\bInfs?\b", "inf"),
    (r"\bNan\b", "nan"),
    (r"^Returns (?=an? |the )", "Return "),
    (r"\bfalse otherwise\b", "False otherwise"),
    (r"^Note that ", ""),
    (r"^Note, however, that ", ""),
    (r"\bpython\b", "Python"),
    (r"\bPython scalar", "Python number"),
    (r"\bscalar values?\b", "number"),
    (r"\bis scalar\b", "is a number"),
    (r"\bnonscalar\b", "not single numbers"),
    (r"(?<!linear )\bscalar", "number"),
    (r"\bScalar values\b", "Single numbers"),
    (r"\bScalar", "Number"),
)

# Applied to the type of a parameter or result, in this order.
TYPE_PHRASES = _rules(
    (r",?\s*\(?\boptional\b\)?\.?", ""),
    (r",?\s*default(?:s to|:| is|=)?\s*[^,;]*$", ""),
    (r"\s*\(default\)", ""),
    (r",?\s*see dtype parameter above\.?", ""),
    (r"\s*or (?:a )?poly1d(?: object)?|\bpoly1d or\s+", ""),
    (r"\bnp\.|\bnumpy\.", ""),
    (r"\barrays?[_-]likes?(?: object)?(?:, | )int\b", "{array} of ints"),
    (r"\b(?:nd-?array|array[_-]like), (?:of )?(bool|int|float|complex)s?\b", r"{array} of \1s"),
    (r"\barray[_-]like\(s\)|\barray[_-]likes\b", "arrays or nested lists"),
    (r"\barray[_-]like\b", "{array}"),
    (r"\bnd-?arrays\b", "arrays"),
    (r"\bnd-?array\b", "{array}"),
    (r"\b(?:str or dtype|dtype object|data-type|dtype)\b(?: object)?", "kind"),
    (r"\b(?:array_)?scalars\b", "numbers"),
    (r"\bscalar\b", "number"),
    (r"\bboolean\b", "bool"),
    (r"\bintegers?\b", "int"),
    (r"\bcallable\b", "function"),
    (r"\btuple of int\b", "tuple of ints"),
    (r"\bsequence of int\b", "sequence of ints"),
    (r"\buint8 type\b", "kind unsigned_8"),
    (r"\barray or nested list of dtype float\b", "array or nested list of floats"),
    (r"\bNone or (.*)$", r"\1 or None"),
    (r"\bint or real\b", "int or float"),
    (r"\b(sequence|list) of array or nested list\b", r"\1 of arrays"),
    (r"\bof int type\b", "of ints"),
    (r"^int, float, or bool or (.*?) of int, float, or bool$", r"number or \1"),
    (r"\s*\bor matrix\b", ""),
    (r"\b(\w+) of (bool|int|float)$", r"\1 of \2s"),
    (r"^bool \(number\)", "bool"),
    (r"\bbool (\w+)$", r"\1 of bools"),
    (r"\(\.\.\., M,\)", "(..., M)"),
    (r"\bshape\(", "shape ("),
)

# ---- our own texts ----------------------------------------------------------------------------------------

# Parameters that mean the same everywhere: (type, text). The catalog's own text takes precedence.
STANDARD = {
    "out": (
        "{array}, optional",
        "An existing array of the shape of the result, which receives the result and is also returned.",
    ),
    "dtype": (
        "kind, optional",
        'Kind of the elements of the result, as a word such as `"float"`, `"int"` or `"float_32"`, or as a Python type '
        "such as `float`. {default}",
    ),
    "keepdims": (
        "bool, optional",
        "If True, the axes that are reduced stay in the result with length 1, so that it fits the input.",
    ),
    "norm": (
        "one of 'backward', 'ortho', 'forward', optional",
        "Which direction of the transform is scaled: with 'backward' (the default) the inverse by 1/n, with "
        "'forward' the forward transform by 1/n, with 'ortho' both by 1/√n.",
    ),
    "method": (
        "str, optional",
        "How a value between two data points is estimated. 'linear' (the default) interpolates; 'lower' takes the "
        "smaller neighbour, 'higher' the larger one, 'nearest' the one that is nearer, 'midpoint' the middle of both; "
        "'inverted_cdf' takes the first data point at which the wanted share of the data, by weight, is reached. "
        "Also 'averaged_inverted_cdf', "
        "'closest_observation', 'interpolated_inverted_cdf', 'hazen', 'weibull', 'median_unbiased' and "
        "'normal_unbiased'.",
    ),
    "order": (
        "one of 'C', 'F', optional",
        "The order in which elements are counted: with 'C' (the default) the last index changes fastest, "
        "with 'F' the first.",
    ),
}

# Texts in which option words explain themselves, and what replaces them if words are forged.
SPELLED_OUT = (
    ("bin(val)", "bin(number)"),
    (
        "'maximum', 'mean', 'median', 'minimum': that statistic of the values along the axis.",
        "'maximum', 'mean', 'median', 'minimum': the largest value, the mean, the median and the smallest value "
        "along the axis, in this order.",
    ),
)

# The kinds that the standard text of `dtype` names, and the text of a function that does not take all of them.
STANDARD_KINDS = frozenset({"float", "int", "float_32"})
SOME_KINDS = "Kind of the elements of the result: one of the words {kinds}{types}. {{default}}"

# For parameters that refuse nan and infinity, always or for some choices.
FINITE = "Values that are nan or infinite are refused with a ValueError."
_SINGULAR = "(2, -2 or 'nuc'), values that are nan or infinite are refused with a ValueError."
FINITE_SOMETIMES = {
    ("linalg.norm", "x"): f"Where `ord` asks for singular values of a matrix {_SINGULAR}",
    ("linalg.matrix_norm", "x"): f"Where `ord` asks for singular values {_SINGULAR}",
    (
        "linalg.cond",
        "x",
    ): "Where `p` is None, 2, -2 or 'nuc', values that are nan or infinite are refused with a ValueError.",
}

# Used if nothing remains of NumPy's own text.
FALLBACK = {
    "axis": ("int, optional", "The axis along which the function works."),
    "a": ("array or nested list", "Input array."),
    "x": ("array or nested list", "Input array."),
    "m": ("array or nested list", "Input array."),
    "v": ("array or nested list", "Input array."),
    "arr": ("array or nested list", "Input array."),
    "k": (
        "int, optional",
        "Which diagonal: 0 is the main diagonal, positive values are above it, negative values below it.",
    ),
}

# "See also" entries that have nothing to do with the function.
UNRELATED = frozenset({("cross", "ix_"), ("compress", "diag"), ("compress", "diagonal")})

INTRODUCTION = """# {package}

`{package}` is a Python library for numbers in arrays. Write `import {package}`; every function below is reached \
from there.

Arrays are of the type `{array}`. Functions take arrays, nested lists and plain numbers alike, and give arrays back; a
single number comes back as a Python number. A `{array}` supports

- the operators of Python (`+ - * / // % ** @ & | ^ ~ << >>`, comparisons, in-place forms), element by element, \
where shapes
  that differ are stretched along axes of length 1;
- indexing with integers, slices, tuples, lists of indices, masks and `...`, for reading and for assignment; a slice \
is a
  view of the same data;
- iteration over the first axis, `len`, `in`, `abs`, `round`, and `bool`, `int`, `float`, `complex` of a single element;
- the attributes `{dot}shape`, `{dot}ndim` (number of axes), `{dot}size` (number of elements), `{dot}T` (axes \
reversed) and `{dot}dtype`, and
  `{dot}tolist()`, which gives nested lists of plain Python values.

It has no other methods: all work is done by functions.

The elements of an array are of one kind, which `{dot}dtype` shows as a word: `"bool"`, `"int"`, `"float"`, `"complex"`,
`"text"`, `"bytes"`, or with a number of bits `"int_8"`, `"int_16"`, `"int_32"`, `"unsigned_8"`, `"unsigned_16"`,
`"unsigned_32"`, `"unsigned_64"`, `"float_16"`, `"float_32"`, `"complex_64"`. Where a function takes a `{kind}`, \
pass such a
word or one of Python's types `bool`, `int`, `float`, `complex`, `str`, `bytes`. Values that no kind has in common, \
such as
None or integers of more than 64 bits, make an array of the kind `"mixed"`, which cannot be asked for and which many
functions refuse.

No warnings are given: a division of floats by zero gives inf or nan, one of integers by `//` or `%` gives 0."""
