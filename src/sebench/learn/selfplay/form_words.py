"""The words of drafted questions: settings, what lists hold, and how a question is put together. They are the program's, not a model's."""

from __future__ import annotations

# A setting, and what is counted or measured there: names of parameters, each with what one number of it is.
THEMES: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("In a village bakery", (("loaves", "loaf count"), ("orders", "order"), ("ovens", "oven reading"), ("crumbs", "weight"))),
    ("On a lighthouse island", (("signals", "signal"), ("ships", "ship count"), ("tides", "tide mark"), ("lamps", "lamp reading"))),
    ("At a mountain hut", (("climbs", "climb"), ("guests", "guest count"), ("meals", "meal count"), ("ropes", "rope length"))),
    ("In a recording studio", (("tracks", "track level"), ("takes", "take"), ("beats", "beat count"), ("echoes", "echo"))),
    ("At an orchard's scales", (("apples", "apple weight"), ("crates", "crate"), ("ladders", "height"), ("rows_of_trees", "row"))),
    ("For a night train", (("stops", "stop"), ("berths", "berth number"), ("delays", "delay"), ("tickets", "ticket price"))),
    ("In a pottery workshop", (("bowls", "bowl"), ("kilns", "kiln reading"), ("glazes", "glaze amount"), ("cracks", "crack count"))),
    ("At a bird station", (("nests", "nest count"), ("flights", "flight"), ("wings", "wing span"), ("rings", "ring number"))),
    ("In a clock maker's ledger", (("gears", "gear size"), ("springs", "spring"), ("repairs", "repair cost"), ("chimes", "chime"))),
    ("During a chess evening", (("moves", "move"), ("ratings", "rating"), ("games", "game score"), ("minutes", "minute count"))),
    ("On a river barge", (("locks", "lock level"), ("barrels", "barrel weight"), ("bends", "bend"), ("fees", "fee"))),
    ("In a seed archive", (("seeds", "seed count"), ("jars", "jar"), ("sprouts", "sprout height"), ("labels_used", "label"))),
    ("At a ski lift", (("rides", "ride"), ("queues", "queue length"), ("slopes", "slope"), ("passes", "pass price"))),
    ("In a small observatory", (("stars", "star brightness"), ("nights", "night"), ("angles_seen", "angle"), ("plates", "plate reading"))),
    ("For a toy parade", (("floats", "float"), ("drums", "drum"), ("banners", "banner length"), ("sweets", "sweet count"))),
    ("In a tea house", (("cups", "cup"), ("leaves", "leaf weight"), ("pots", "pot"), ("tables_taken", "table"))),
    ("At a harbour office", (("cargoes", "cargo weight"), ("cranes", "crane load"), ("buoys", "buoy reading"), ("dues", "due"))),
    ("In a puppet theatre", (("puppets", "puppet"), ("strings_cut", "string length"), ("acts", "act"), ("laughs", "laugh count"))),
    ("On a solar farm", (("panels", "panel output"), ("clouds", "cloud cover"), ("hours", "hour"), ("meters", "meter reading"))),
    ("At a marathon", (("runners", "runner time"), ("laps", "lap"), ("bottles", "bottle count"), ("pulses", "pulse"))),
    ("In a glass factory", (("panes", "pane"), ("furnaces", "furnace reading"), ("chips", "chip count"), ("tints", "tint"))),
    ("For a quilt", (("patches", "patch"), ("stitches", "stitch count"), ("threads", "thread length"), ("borders", "border"))),
    ("In a flooded cellar", (("pumps", "pump rate"), ("depths", "depth"), ("buckets", "bucket"), ("pipes", "pipe width"))),
    ("At a radio contest", (("callers", "caller"), ("songs", "song length"), ("votes", "vote count"), ("prizes", "prize"))),
)  # fmt: skip

ONE = (
    "{where} somebody notes {what} as `{name}`.",
    "{where} there is {what}, `{name}`.",
    "`{name}` is {what} that was written down {lower}.",
    "{where}, `{name}` stands for {what}.",
)
MORE = (
    "Beside it, `{name}` is {what}.",
    "`{name}` gives {what}.",
    "There is also `{name}`, {what}.",
    "In addition `{name}` holds {what}.",
)
SINGLE = ("a single {element}", "one {element}", "one value, a {element}")
LISTED = ("a list of {elements}", "a row of {elements}, one after the other", "several {elements} in a list")
TABLED = ("a table of {elements}, given as rows", "rows of {elements}, all of the same length", "a list of rows of {elements}")  # fmt: skip
CUBED = ("a stack of tables of {elements}", "several tables of {elements}, all of the same shape")
ORDERED = (
    "Your job is to {order}.",
    "Write a program that has to {order}.",
    "Now {order}.",
    "What the owner wants is to {order}.",
    "The task: {order}.",
)
STATED = ("What is wanted: {text}", "Work out the following. {text}", "The owner asks for this: {text}", "Find this. {text}")  # fmt: skip
RETURNED = ("Return {what}.", "Return the outcome as {what}.", "In the end return {what}.", "Return what comes out as {what}.")  # fmt: skip
ALONG = {
    0: ("Go down the columns.", "Every column counts by itself, from top to bottom."),
    1: ("Go along the rows.", "Every row counts by itself, from left to right."),
    -1: ("Go along the last direction.", "Work within the innermost lists."),
}
OPTION = ("{name} is to be {value}.", "Take {value} for {name}.", "Here {name} means {value}.")
# Words that a question does not use, and what it says instead.
SAID = (
    (r"\bn-dimensional arrays?\b", "nested lists"),
    (r"\barrays\b", "lists"),
    (r"\ban array\b", "a list"),
    (r"\barray\b", "list"),
    (r"\baxes\b", "directions"),
    (r"\ban axis\b", "a direction"),
    (r"\baxis\b", "direction"),
    (r"\bdtypes?\b", "kind"),
    (r"\bndarrays?\b", "lists"),
)
# Names of functions that pages use as words, and what a question says instead; "" leaves the word out.
UNNAMED = {
    "subtract": "take away", "multiply": "form the products of", "divide": "share out", "absolute": "unsigned", "heaviside": "unit",
    "conjugate": "mirror number", "identity": "unit", "solve": "find the unknowns of", "norm": "length", "cholesky": "triangular",
    "roots": "zeros", "convolve": "blend", "correlate": "compare", "bartlett": "", "blackman": "", "hamming": "", "kaiser": "",
    "percentile": "percent mark", "quantile": "fraction mark", "median": "middle value", "transpose": "turned table",
}  # fmt: skip
