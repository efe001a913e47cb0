"""What the checker knows of German and English, written down apart from the generator's lexicon."""

# article noun, genitive, plural (- if not used) = english singular, plural.  (weak): n-declension.
_NOUNS = """
der Mann, Mannes, Männer = man, men
die Frau, Frau, Frauen = woman, women
das Kind, Kindes, Kinder = child, children
der Junge, Jungen, Jungen (weak) = boy, boys
das Mädchen, Mädchens, Mädchen = girl, girls
der Lehrer, Lehrers, Lehrer = teacher, teachers
der Arzt, Arztes, Ärzte = doctor, doctors
der Nachbar, Nachbarn, Nachbarn (weak) = neighbour, neighbours
der Student, Studenten, Studenten (weak) = student, students
der Kollege, Kollegen, Kollegen (weak) = colleague, colleagues
die Mutter, Mutter, Mütter = mother, mothers
der Vater, Vaters, Väter = father, fathers
die Schwester, Schwester, Schwestern = sister, sisters
der Bruder, Bruders, Brüder = brother, brothers
die Tante, Tante, Tanten = aunt, aunts
der Freund, Freundes, Freunde = friend, friends
der Bäcker, Bäckers, Bäcker = baker, bakers
die Kellnerin, Kellnerin, Kellnerinnen = waitress, waitresses
die Königin, Königin, Königinnen = queen, queens
der König, Königs, Könige = king, kings
der Gast, Gastes, Gäste = guest, guests
der Hund, Hundes, Hunde = dog, dogs
die Katze, Katze, Katzen = cat, cats
das Pferd, Pferdes, Pferde = horse, horses
der Vogel, Vogels, Vögel = bird, birds
der Bär, Bären, Bären (weak) = bear, bears
die Maus, Maus, Mäuse = mouse, mice
die Kuh, Kuh, Kühe = cow, cows
der Löwe, Löwen, Löwen (weak) = lion, lions
das Schwein, Schweins, Schweine = pig, pigs
das Buch, Buches, Bücher = book, books
der Brief, Briefes, Briefe = letter, letters
die Zeitung, Zeitung, Zeitungen = newspaper, newspapers
der Roman, Romans, Romane = novel, novels
der Bericht, Berichts, Berichte = report, reports
das Gedicht, Gedichts, Gedichte = poem, poems
der Apfel, Apfels, Äpfel = apple, apples
der Kuchen, Kuchens, Kuchen = cake, cakes
die Birne, Birne, Birnen = pear, pears
die Wurst, Wurst, Würste = sausage, sausages
das Brötchen, Brötchens, Brötchen = roll, rolls
die Tomate, Tomate, Tomaten = tomato, tomatoes
die Lampe, Lampe, Lampen = lamp, lamps
der Schlüssel, Schlüssels, Schlüssel = key, keys
die Uhr, Uhr, Uhren = clock, clocks
das Bild, Bildes, Bilder = picture, pictures
das Messer, Messers, Messer = knife, knives
der Regenschirm, Regenschirms, Regenschirme = umbrella, umbrellas
die Flasche, Flasche, Flaschen = bottle, bottles
die Tasse, Tasse, Tassen = cup, cups
der Koffer, Koffers, Koffer = suitcase, suitcases
der Korb, Korbes, Körbe = basket, baskets
die Tasche, Tasche, Taschen = bag, bags
das Radio, Radios, Radios = radio, radios
die Kamera, Kamera, Kameras = camera, cameras
der Mantel, Mantels, Mäntel = coat, coats
das Hemd, Hemdes, Hemden = shirt, shirts
die Jacke, Jacke, Jacken = jacket, jackets
der Hut, Hutes, Hüte = hat, hats
das Auto, Autos, Autos = car, cars
das Fahrrad, Fahrrads, Fahrräder = bicycle, bicycles
der Zug, Zuges, Züge = train, trains
der Bus, Busses, Busse = bus, buses
das Schiff, Schiffes, Schiffe = ship, ships
der Tisch, Tisches, Tische = table, tables
der Stuhl, Stuhls, Stühle = chair, chairs
das Bett, Bettes, Betten = bed, beds
die Bank, Bank, Bänke = bench, benches
der Schrank, Schranks, Schränke = cupboard, cupboards
die Tür, Tür, Türen = door, doors
das Fenster, Fensters, Fenster = window, windows
der Baum, Baumes, Bäume = tree, trees
das Haus, Hauses, Häuser = house, houses
der Garten, Gartens, Gärten = garden, gardens
die Küche, Küche, Küchen = kitchen, kitchens
die Schule, Schule, Schulen = school, schools
das Büro, Büros, Büros = office, offices
der Park, Parks, Parks = park, parks
die Kirche, Kirche, Kirchen = church, churches
der Wald, Waldes, Wälder = forest, forests
das Zimmer, Zimmers, Zimmer = room, rooms
das Museum, Museums, Museen = museum, museums
der Bahnhof, Bahnhofs, Bahnhöfe = station, stations
die Brücke, Brücke, Brücken = bridge, bridges
die Bibliothek, Bibliothek, Bibliotheken = library, libraries
das Hotel, Hotels, Hotels = hotel, hotels
der Palast, Palastes, Paläste = palace, palaces
die Villa, Villa, Villen = villa, villas
das Konzert, Konzerts, - = concert, -
das Essen, Essens, - = meal, -
die Sitzung, Sitzung, - = meeting, -
die Prüfung, Prüfung, - = exam, -
die Reise, Reise, - = journey, -
der Sturm, Sturms, - = storm, -
der Regen, Regens, - = rain, -
der Schnee, Schnees, - = snow, -
der Lärm, Lärms, - = noise, -
der Kaffee, Kaffees, - = coffee, -
der Tee, Tees, - = tea, -
die Milch, Milch, - = milk, -
das Wasser, Wassers, - = water, -
"""

# [particle+]infinitive, third person, past, participle (all without the particle), what it governs
_VERBS = """
sehen sieht sah gesehen acc / hören hört hörte gehört acc / suchen sucht suchte gesucht acc
finden findet fand gefunden acc / kaufen kauft kaufte gekauft acc / verkaufen verkauft verkaufte verkauft acc
lesen liest las gelesen acc / schreiben schreibt schrieb geschrieben acc / essen isst aß gegessen acc
trinken trinkt trank getrunken acc / reparieren repariert reparierte repariert acc / putzen putzt putzte geputzt acc
vergessen vergisst vergaß vergessen acc / tragen trägt trug getragen acc / lieben liebt liebte geliebt acc
besuchen besucht besuchte besucht acc / kennen kennt kannte gekannt acc
beobachten beobachtet beobachtete beobachtet acc / brauchen braucht brauchte gebraucht acc
waschen wäscht wusch gewaschen acc / stehlen stiehlt stahl gestohlen acc / verstecken versteckt versteckte versteckt acc
füttern füttert fütterte gefüttert acc / malen malt malte gemalt acc / an+rufen ruft rief gerufen acc
ein+laden lädt lud geladen acc / ab+holen holt holte geholt acc / auf+machen macht machte gemacht acc
zu+machen macht machte gemacht acc / ein+schalten schaltet schaltete geschaltet acc
aus+schalten schaltet schaltete geschaltet acc / weg+werfen wirft warf geworfen acc / auf+heben hebt hob gehoben acc
helfen hilft half geholfen dat / danken dankt dankte gedankt dat / folgen folgt folgte gefolgt dat
antworten antwortet antwortete geantwortet dat / zu+hören hört hörte gehört dat
geben gibt gab gegeben both / zeigen zeigt zeigte gezeigt both / schicken schickt schickte geschickt both
bringen bringt brachte gebracht both / an+bieten bietet bot geboten both
schlafen schläft schlief geschlafen - / warten wartet wartete gewartet - / sitzen sitzt saß gesessen -
arbeiten arbeitet arbeitete gearbeitet - / singen singt sang gesungen - / tanzen tanzt tanzte getanzt -
spielen spielt spielte gespielt - / lachen lacht lachte gelacht - / stehen steht stand gestanden -
liegen liegt lag gelegen - / an+kommen kommt kam gekommen - / ab+fahren fährt fuhr gefahren -
ein+schlafen schläft schlief geschlafen - / auf+wachen wacht wachte gewacht - / auf+stehen steht stand gestanden -
weg+laufen läuft lief gelaufen - / zurück+kommen kommt kam gekommen - / gehen geht ging gegangen motion
laufen läuft lief gelaufen motion / springen springt sprang gesprungen motion / kommen kommt kam gekommen -
wohnen wohnt wohnte gewohnt - / reisen reist reiste gereist - / legen legt legte gelegt motion
stellen stellt stellte gestellt motion / sagen sagt sagte gesagt - / wissen weiß wusste gewusst -
glauben glaubt glaubte geglaubt - / hoffen hofft hoffte gehofft - / fragen fragt fragte gefragt -
regnen regnet regnete geregnet - / schneien schneit schneite geschneit -
"""
# These form the perfect with sein.
WITH_SEIN = frozenset("folgen ankommen abfahren einschlafen aufwachen aufstehen weglaufen zurückkommen gehen laufen "
                      "springen kommen reisen".split())
# singular and plural forms of the auxiliaries and modals
AUXILIARIES = {"sg": set("ist war hat wird wurde kann konnte muss musste will wollte soll darf".split()),
               "pl": set("""sind waren haben werden wurden können konnten müssen mussten wollen wollten sollen
                        dürfen""".split())}
MODALS = {w for words in AUXILIARIES.values() for w in words} - set(
    "ist sind war waren hat haben wird werden wurde wurden".split())
ADJECTIVES = """
groß klein schön berühmt freundlich klug reich stolz neugierig hungrig müd krank teur billig schwer dunkl
lang frisch heiß kalt jung alt neu kaputt rot grün blau schwarz weiß""".split()
PREDICATES = [{"müd": "müde", "teur": "teuer", "dunkl": "dunkel"}.get(a, a) for a in ADJECTIVES]
PARTICLES = set("an ein ab auf zu aus weg zurück".split())
CONJUNCTIONS = set("weil obwohl wenn als während bevor dass ob".split())
GOVERNMENT = {"mit": "dat", "zu": "dat", "nach": "dat", "von": "dat", "aus": "dat", "für": "acc", "ohne": "acc",
              "durch": "acc", "um": "acc", "während": "gen", "wegen": "gen", "trotz": "gen"}
EVENTS = set("Konzert Essen Sitzung Prüfung Reise Sturm".split())
TWO_WAY = set("in auf unter hinter vor neben".split())
CONTRACTED = {"im": ("in", "dat", "mn"), "ins": ("in", "acc", "n"), "vom": ("von", "dat", "mn"),
              "zum": ("zu", "dat", "mn"), "zur": ("zu", "dat", "f"), "am": ("an", "dat", "mn")}
ADVERBS = set("""
heute jetzt gestern morgen jeden tag abend morgen sonntag montag letzte nächste woche uhr jahr jahren vor um
im am oft immer manchmal selten schnell langsam vorsichtig sehr nicht und oder aber frau herr herrn es""".split())
NUMBERS = dict(zip("two three four five six seven eight nine ten eleven twelve".split(),
                   "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf".split()))
# The definite article: what each form can be.
ARTICLE = {"der": {"nom m", "dat f", "gen f", "gen p"}, "die": {"nom f", "acc f", "nom p", "acc p"},
           "das": {"nom n", "acc n"}, "den": {"acc m", "dat p"}, "dem": {"dat m", "dat n"}, "des": {"gen m", "gen n"}}
RELATIVES = {"der": {"nom m", "dat f"}, "die": ARTICLE["die"], "das": ARTICLE["das"], "den": {"acc m"},
             "dem": ARTICLE["dem"], "denen": {"dat p"}, "dessen": {"gen m", "gen n"}, "deren": {"gen f", "gen p"}}
PERSONAL = {"er": {"nom m"}, "sie": {"nom f", "acc f", "nom p", "acc p"}, "es": {"nom n", "acc n"}, "ihn": {"acc m"},
            "ihm": {"dat m", "dat n"}, "ihr": {"dat f"}, "ihnen": {"dat p"}}
# The endings of dieser, jeder, viele, einige; ein-words differ only where they have no ending.
ENDINGS = {"er": {"nom m", "dat f", "gen f", "gen p"}, "e": {"nom f", "acc f", "nom p", "acc p"},
           "es": {"nom n", "acc n", "gen m", "gen n"}, "en": {"acc m", "dat p"}, "em": {"dat m", "dat n"}}
DER_STEMS = ("dies", "jed", "viel", "einig")
EIN_STEMS = ("kein", "sein", "ihr", "ein")


class Noun:
    def __init__(self, line):
        german, english = line.split("=")
        self.weak = "(weak)" in german
        head, self.genitive, plural = (p.strip() for p in german.replace("(weak)", "").split(","))
        article, self.nominative = head.split()
        self.gender = {"der": "m", "die": "f", "das": "n"}[article]
        self.plural = None if plural == "-" else plural
        self.english = [w.strip() for w in english.split(",")]

    def form(self, case, slot):
        if slot == "p":
            if self.plural is None:
                return None
            return self.plural + "n" if case == "dat" and not self.plural.endswith(("n", "s")) else self.plural
        if slot != self.gender:
            return None
        if self.weak:
            return self.nominative if case == "nom" else self.genitive
        return self.genitive if case == "gen" else self.nominative


class Verb:
    def __init__(self, text):
        infinitive, third, past, participle, self.governs = text.split()
        self.particle, _, stem = infinitive.rpartition("+")
        self.name = self.infinitive = self.particle + stem
        self.participle = self.particle + participle
        self.finite = {"sg": {third, past}, "pl": {stem, past + ("n" if past.endswith("e") else "en")}}


NOUNS = [Noun(line) for line in _NOUNS.strip().splitlines()]
VERBS = [Verb(text) for line in _VERBS.strip().splitlines() for text in line.split(" / ")]
NOUN_FORMS = {}
for _noun in NOUNS:
    for _case in ("nom", "acc", "dat", "gen"):
        for _slot in "mfnp":
            if _noun.form(_case, _slot):
                NOUN_FORMS.setdefault(_noun.form(_case, _slot), set()).add(_noun)


def known_forms():
    """Every German word the corpus may use but names and numbers, in lower case."""
    words = {f.lower() for f in NOUN_FORMS} | set(PREDICATES) | PARTICLES | CONJUNCTIONS | set(GOVERNMENT) | TWO_WAY
    words |= {a + e for a in ADJECTIVES for e in ENDINGS} | set(CONTRACTED) | ADVERBS | set(NUMBERS.values())
    words |= set(ARTICLE) | set(RELATIVES) | set(PERSONAL) | AUXILIARIES["sg"] | AUXILIARIES["pl"]
    words |= {s + e for s in DER_STEMS for e in ENDINGS} | {s + e for s in EIN_STEMS for e in (*ENDINGS, "")}
    for verb in VERBS:
        for forms in verb.finite.values():
            words |= forms | {verb.particle + f for f in forms}
        words |= {verb.infinitive, verb.participle, "gewesen"}
    return words
