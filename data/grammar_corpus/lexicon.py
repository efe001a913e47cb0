"""Nouns, adjectives, names, prepositions and adverbials of the corpus.

One English word has one German word, so that the German sentence follows from the English one. Tags say which verbs
and prepositions a noun may go with; they are what keeps the sentences sensible.
"""

from dataclasses import dataclass, field

# english plural | german gender genitive plural | kind | tags.  "m*" marks the weak declension: the genitive form
# serves for every case of the singular but the nominative. "-" means: not used in the plural.
_NOUNS = """
man men | Mann m Mannes Männer | person | he
woman women | Frau f Frau Frauen | person | she
child children | Kind n Kindes Kinder | person | it relative
boy boys | Junge m* Jungen Jungen | person | he
girl girls | Mädchen n Mädchens Mädchen | person |
teacher teachers | Lehrer m Lehrers Lehrer | person | he relative goal
doctor doctors | Arzt m Arztes Ärzte | person | he goal
neighbour neighbours | Nachbar m* Nachbarn Nachbarn | person | he relative
student students | Student m* Studenten Studenten | person | he
colleague colleagues | Kollege m* Kollegen Kollegen | person | he relative
mother mothers | Mutter f Mutter Mütter | person | she relative parent family
father fathers | Vater m Vaters Väter | person | he relative family
sister sisters | Schwester f Schwester Schwestern | person | she relative parent family
brother brothers | Bruder m Bruders Brüder | person | he relative parent family
aunt aunts | Tante f Tante Tanten | person | she relative family
friend friends | Freund m Freundes Freunde | person | he relative
baker bakers | Bäcker m Bäckers Bäcker | person | he goal
waitress waitresses | Kellnerin f Kellnerin Kellnerinnen | person | she
queen queens | Königin f Königin Königinnen | person | she
king kings | König m Königs Könige | person | he
guest guests | Gast m Gastes Gäste | person | he
dog dogs | Hund m Hundes Hunde | animal | pet
cat cats | Katze f Katze Katzen | animal | pet
horse horses | Pferd n Pferdes Pferde | animal | pet
bird birds | Vogel m Vogels Vögel | animal | pet
bear bears | Bär m* Bären Bären | animal |
mouse mice | Maus f Maus Mäuse | animal |
cow cows | Kuh f Kuh Kühe | animal | pet
lion lions | Löwe m* Löwen Löwen | animal |
pig pigs | Schwein n Schweins Schweine | animal | pet
book books | Buch n Buches Bücher | text | portable flat written
letter letters | Brief m Briefes Briefe | text | portable flat written
newspaper newspapers | Zeitung f Zeitung Zeitungen | text | portable flat
novel novels | Roman m Romans Romane | text | portable flat written
report reports | Bericht m Berichts Berichte | text | portable flat written
poem poems | Gedicht n Gedichts Gedichte | text | written
apple apples | Apfel m Apfels Äpfel | food |
cake cakes | Kuchen m Kuchens Kuchen | food |
pear pears | Birne f Birne Birnen | food |
sausage sausages | Wurst f Wurst Würste | food |
roll rolls | Brötchen n Brötchens Brötchen | food |
tomato tomatoes | Tomate f Tomate Tomaten | food |
lamp lamps | Lampe f Lampe Lampen | object | portable upright device switch
key keys | Schlüssel m Schlüssels Schlüssel | object | portable flat
clock clocks | Uhr f Uhr Uhren | object | portable device
picture pictures | Bild n Bildes Bilder | object | portable
knife knives | Messer n Messers Messer | object | portable flat tool
umbrella umbrellas | Regenschirm m Regenschirms Regenschirme | object | portable flat
bottle bottles | Flasche f Flasche Flaschen | object | portable upright opening
cup cups | Tasse f Tasse Tassen | object | portable upright
suitcase suitcases | Koffer m Koffers Koffer | object | portable upright opening container
basket baskets | Korb m Korbes Körbe | object | portable upright container
bag bags | Tasche f Tasche Taschen | object | portable opening container
radio radios | Radio n Radios Radios | object | portable device switch
camera cameras | Kamera f Kamera Kameras | object | portable flat device switch
coat coats | Mantel m Mantels Mäntel | clothes | flat washable
shirt shirts | Hemd n Hemdes Hemden | clothes | flat washable
jacket jackets | Jacke f Jacke Jacken | clothes | flat washable
hat hats | Hut m Hutes Hüte | clothes | flat
car cars | Auto n Autos Autos | vehicle | owned device washable beside
bicycle bicycles | Fahrrad n Fahrrads Fahrräder | vehicle | owned device washable
train trains | Zug m Zuges Züge | vehicle | public
bus buses | Bus m Busses Busse | vehicle | public device washable beside
ship ships | Schiff n Schiffes Schiffe | vehicle | public device
table tables | Tisch m Tisches Tische | furniture | surface around device
chair chairs | Stuhl m Stuhls Stühle | furniture | surface device
bed beds | Bett n Bettes Betten | furniture | surface
bench benches | Bank f Bank Bänke | furniture | surface
cupboard cupboards | Schrank m Schranks Schränke | furniture | container opening
door doors | Tür f Tür Türen | furniture | opening beside device glass
window windows | Fenster n Fensters Fenster | furniture | opening beside device glass
tree trees | Baum m Baumes Bäume | plant | shade beside around
house houses | Haus n Hauses Häuser | place | inside beside around whole out
garden gardens | Garten m Gartens Gärten | place | inside through part
kitchen kitchens | Küche f Küche Küchen | place | inside room part out
school schools | Schule f Schule Schulen | place | inside beside goal whole out
office offices | Büro n Büros Büros | place | inside room out
park parks | Park m Parks Parks | place | inside through goal
church churches | Kirche f Kirche Kirchen | place | inside beside around goal visit out
forest forests | Wald m Waldes Wälder | place | inside through
room rooms | Zimmer n Zimmers Zimmer | place | inside room out
museum museums | Museum n Museums Museen | place | inside beside goal visit whole out
station stations | Bahnhof m Bahnhofs Bahnhöfe | place | beside goal
bridge bridges | Brücke f Brücke Brücken | place | shade beside
library libraries | Bibliothek f Bibliothek Bibliotheken | place | inside beside goal visit part out
hotel hotels | Hotel n Hotels Hotels | place | inside beside goal whole out
palace palaces | Palast m Palastes Paläste | place | inside beside around visit whole out
villa villas | Villa f Villa Villen | place | inside beside around whole out
concert - | Konzert n Konzerts - | event | during after
meal - | Essen n Essens - | event | during after
meeting - | Sitzung f Sitzung - | event | during after
exam - | Prüfung f Prüfung - | event | during after
journey - | Reise f Reise - | event | during after
storm - | Sturm m Sturms - | weather | during after cause
rain - | Regen m Regens - | weather | cause
snow - | Schnee m Schnees - | weather | cause
noise - | Lärm m Lärms - | weather | cause
coffee - | Kaffee m Kaffees - | drink |
tea - | Tee m Tees - | drink |
milk - | Milch f Milch - | drink |
water - | Wasser n Wassers - | drink |
"""

# english | german | kinds of noun.  "teuer/teur": the stem before an ending. "!": not graded by "very".
# The row order is the order of two adjectives before one noun.
_ADJECTIVES = """
big | groß | animal vehicle furniture place object
small | klein | person animal vehicle furniture place object food
beautiful | schön | text clothes place object
famous | berühmt | person place text
friendly | freundlich | person
clever | klug | person animal
rich | reich | person
proud | stolz | person
curious | neugierig | person animal
hungry | hungrig | person animal
tired | müde/müd | person animal
sick | krank | person animal
expensive | teuer/teur | clothes vehicle furniture object food
cheap | billig | clothes vehicle furniture object food
heavy | schwer | furniture object
dark | dunkel/dunkl | place
long | lang | text event
fresh | frisch | food drink
hot | heiß | drink
cold | kalt | drink
young | jung | person animal
old | alt | person animal text clothes vehicle furniture place object
new | neu | text clothes vehicle furniture place object
broken! | kaputt | vehicle furniture object
red! | rot | clothes vehicle object
green! | grün | clothes vehicle object
blue! | blau | clothes vehicle object
black! | schwarz | animal clothes vehicle object
white! | weiß | animal clothes vehicle furniture object
"""
# What a noun may not be called although its kind may.
_UNFIT = {"station": "dark", "bridge": "dark", "king": "small sick", "mouse": "big", "door": "cheap",
          "window": "cheap", "garden": "dark", "park": "dark", "train": "cheap expensive", "bus": "cheap",
          "ship": "cheap", "bird": "clever", "pig": "black", "lion": "black white", "mother": "young small",
          "father": "young small", "bench": "cheap expensive", "poem": "new", "newspaper": "famous beautiful",
          "letter": "famous", "report": "beautiful", "key": "expensive beautiful cheap", "knife": "green red blue",
          "cow": "clever", "woman": "small", "man": "small", "child": "rich old", "boy": "rich old young",
          "girl": "rich old", "tomato": "expensive", "suitcase": "beautiful", "kitchen": "famous",
          "office": "famous beautiful", "room": "famous", "school": "dark", "apple": "expensive", "roll": "small big",
          "house": "dark", "cup": "heavy", "baker": "small", "forest": "famous new"}

MALE = "Peter Paul Tom David Martin Anton Oskar Simon Daniel Emil Robert Jakob Leon Karl Georg".split()
FEMALE = "Anna Maria Lisa Emma Clara Sofia Julia Laura Nina Eva Marta Ida Helena Paula Lena".split()
SURNAMES = "Becker Keller Wagner Fischer Weber Hoffmann Schneider Richter Neumann Lehmann Huber Winter".split()
CITIES = "Berlin Hamburg Paris London Madrid Oslo Bremen Leipzig Dresden Toronto".split()
NUMBER_WORDS = dict(zip("two three four five six seven eight nine ten eleven twelve".split(),
                        "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf".split()))

# Two-way prepositions: the accusative after verbs of motion or placing, the dative elsewhere.
TWO_WAY = {"in": "in", "into": "in", "on": "auf", "onto": "auf", "under": "unter", "behind": "hinter",
           "in front of": "vor", "next to": "neben"}
FIXED_CASE = {  # english (what follows the slash only tells two uses apart): (german, case)
    "with": ("mit", "dat"), "to": ("zu", "dat"), "to/city": ("nach", "dat"),
    "from": ("von", "dat"), "by": ("von", "dat"),
    "out of": ("aus", "dat"), "after": ("nach", "dat"), "before": ("vor", "dat"),
    "for": ("für", "acc"), "without": ("ohne", "acc"), "through": ("durch", "acc"), "around": ("um", "acc"),
    "during": ("während", "gen"), "because of": ("wegen", "gen"), "despite": ("trotz", "gen")}
CONTRACTIONS = {("in", "dem"): "im", ("in", "das"): "ins", ("von", "dem"): "vom", ("zu", "dem"): "zum",
                ("zu", "der"): "zur"}

# english | german | tenses.  Equal digits link words; # stands for a number.
_TIMES = """
today/1 | heute/1 | present perfect modal future
now/1 | jetzt/1 | present
every/1 day/2 | jeden/1 Tag/2 | present past
in/1 the/1 evening/2 | am/1 Abend/2 | present past modal future
in/1 the/1 morning/2 | am/1 Morgen/2 | present past modal future
on/1 Sunday/2 | am/1 Sonntag/2 | past modal future
on/1 Monday/2 | am/1 Montag/2 | past modal future
yesterday/1 | gestern/1 | past
last/1 week/2 | letzte/1 Woche/2 | past
tomorrow/1 | morgen/1 | future
next/1 week/2 | nächste/1 Woche/2 | future
at/1 CLOCK/2 o'clock/3 | um/1 CLOCK/2 Uhr/3 | present past modal future
COUNT/1 years/2 ago/3 | vor/3 COUNT/1 Jahren/2 | past
in/1 the/1 year/2 YEAR/3 | im/1 Jahr/2 YEAR/3 | past
"""
FREQUENCIES = {"often": "oft", "always": "immer", "sometimes": "manchmal", "seldom": "selten"}
MANNERS = {"quickly": "schnell", "slowly": "langsam", "carefully": "vorsichtig"}


@dataclass(frozen=True)
class Noun:
    """A noun with its forms in both languages. `pronoun` is he, she, it or "" (not referred to by a pronoun)."""
    en: str
    en_plural: str
    de: str
    gender: str
    genitive: str
    de_plural: str
    weak: bool
    kind: str
    tags: frozenset
    pronoun: str
    adjectives: tuple = field(default=(), compare=False)

    def __hash__(self):
        return hash(self.en)


@dataclass(frozen=True)
class Adjective:
    en: str
    de: str
    stem: str
    graded: bool
    order: int


def parse_adjectives():
    rows = []
    for order, line in enumerate(_ADJECTIVES.strip().splitlines()):
        en, de, kinds = (part.strip() for part in line.split("|"))
        word, _, stem = de.partition("/")
        rows.append((Adjective(en.rstrip("!"), word, stem or word, not en.endswith("!"), order), set(kinds.split())))
    return rows


def _parse_nouns():
    adjectives = parse_adjectives()
    nouns = []
    for line in _NOUNS.strip().splitlines():
        english, german, kind, tags = (part.strip() for part in line.split("|"))
        en, en_plural = english.split()
        de, gender, genitive, plural = german.split()
        tags = set(tags.split())
        pronoun = next((p for p in ("he", "she", "it") if p in tags), "" if kind == "person" else "it")
        unfit = set(_UNFIT.get(en, "").split())
        fitting = tuple(a for a, kinds in adjectives if kind in kinds and a.en not in unfit)
        nouns.append(Noun(en, en_plural, de, gender[0], genitive, plural, gender.endswith("*"), kind,
                          frozenset(tags | {kind}), pronoun, fitting))
    return tuple(nouns)


def _parse_times():
    rows = []
    for line in _TIMES.strip().splitlines():
        en, de, tenses = (part.strip() for part in line.split("|"))
        split = lambda text: tuple(tuple(word.rsplit("/", 1)) for word in text.split())
        rows.append((split(en), split(de), frozenset(tenses.split())))
    return tuple(rows)


NOUNS = _parse_nouns()
TIMES = _parse_times()
_BY_TAG = {}


def nouns_with(tags):
    """The nouns that have one of the tags (a space-separated string)."""
    if tags not in _BY_TAG:
        wanted = set(tags.split())
        _BY_TAG[tags] = tuple(n for n in NOUNS if n.tags & wanted)
    return _BY_TAG[tags]
