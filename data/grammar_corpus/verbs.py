"""The verbs: forms in both languages, the frame (which objects they take) and what may be subject and object."""

from dataclasses import dataclass

# English base, -s, past, participle [+particle / ~preposition] | German infinitive, 3rd singular, past, participle,
# h(aben)/s(ein), separable particle or - (3rd singular and past without it) | frames | subjects | objects | flags
# Flags: nopast (English past equals the present plural), noperf, nomodal, state (no frequency or manner adverb),
# passive, manner, chance (not done on purpose: no must, want ...).
_VERBS = """
see sees saw seen|sehen sieht sah gesehen h -|trans|person animal|person animal portable vehicle place|passive chance
hear hears heard heard | hören hört hörte gehört h - | trans | person animal | person animal | chance
look looks looked looked ~for | suchen sucht suchte gesucht h - | trans | person | person pet portable clothes |
find finds found found | finden findet fand gefunden h - | trans | person | pet portable clothes | passive chance
buy buys bought bought | kaufen kauft kaufte gekauft h - | trans | person | portable food clothes owned pet | passive
sell sells sold sold|verkaufen verkauft verkaufte verkauft h -|trans|person|portable food clothes owned pet|passive
read reads read read | lesen liest las gelesen h - | trans | person | text | passive nopast manner
write writes wrote written | schreiben schreibt schrieb geschrieben h - | trans | person | written | passive manner
eat eats ate eaten | essen isst aß gegessen h - | trans | person animal | food | passive manner
drink drinks drank drunk | trinken trinkt trank getrunken h - | trans | person | drink | manner
repair repairs repaired repaired|reparieren repariert reparierte repariert h -|trans|person|device|passive manner
clean cleans cleaned cleaned | putzen putzt putzte geputzt h - | trans | person | room owned glass | passive manner
forget forgets forgot forgotten|vergessen vergisst vergaß vergessen h -|trans|person|portable clothes|passive chance
carry carries carried carried | tragen trägt trug getragen h - | trans | person | portable | passive manner
love loves loved loved | lieben liebt liebte geliebt h - | trans | person | person pet | state nomodal noperf
visit visits visited visited | besuchen besucht besuchte besucht h - | trans | person | person visit | passive
know knows knew known | kennen kennt kannte gekannt h - | trans | person | person | state nomodal noperf
watch watches watched watched|beobachten beobachtet beobachtete beobachtet h -|trans|person animal|person animal|passive
need needs needed needed|brauchen braucht brauchte gebraucht h -|trans|person|portable clothes|state nomodal noperf
wash washes washed washed | waschen wäscht wusch gewaschen h - | trans | person | washable | passive manner
steal steals stole stolen | stehlen stiehlt stahl gestohlen h - | trans | person | portable clothes owned | passive
hide hides hid hidden | verstecken versteckt versteckte versteckt h - | trans | person | portable | passive
feed feeds fed fed | füttern füttert fütterte gefüttert h - | trans | person | pet | passive
paint paints painted painted | malen malt malte gemalt h - | trans | person | person animal place plant | passive manner
call calls called called | anrufen ruft rief angerufen h an | trans | person | person |
invite invites invited invited | einladen lädt lud eingeladen h ein | trans | person | person | passive
collect collects collected collected | abholen holt holte abgeholt h ab | trans | person | person | passive
open opens opened opened | aufmachen macht machte aufgemacht h auf | trans | person | opening | passive manner
close closes closed closed | zumachen macht machte zugemacht h zu | trans | person | opening | passive manner
switch switches switched switched +on|einschalten schaltet schaltete eingeschaltet h ein|trans|person|switch|passive
switch switches switched switched +off|ausschalten schaltet schaltete ausgeschaltet h aus|trans|person|switch|passive
throw throws threw thrown +away | wegwerfen wirft warf weggeworfen h weg | trans | person | portable food | passive
pick picks picked picked +up | aufheben hebt hob aufgehoben h auf | trans | person | portable | manner
help helps helped helped | helfen hilft half geholfen h - | dative | person | person animal |
thank thanks thanked thanked | danken dankt dankte gedankt h - | dative | person | person |
follow follows followed followed | folgen folgt folgte gefolgt s - | dative | person animal | person animal |
answer answers answered answered | antworten antwortet antwortete geantwortet h - | dative | person | person |
listen listens listened listened ~to | zuhören hört hörte zugehört h zu | dative | person | person |
give gives gave given | geben gibt gab gegeben h - | give | person | portable food clothes |
show shows showed shown | zeigen zeigt zeigte gezeigt h - | give | person | portable place owned |
send sends sent sent | schicken schickt schickte geschickt h - | give | person | portable |
bring brings brought brought | bringen bringt brachte gebracht h - | give | person | portable food clothes drink |
offer offers offered offered | anbieten bietet bot angeboten h an | give | person | food drink |
sleep sleeps slept slept | schlafen schläft schlief geschlafen h - | local | person animal | |
wait waits waited waited | warten wartet wartete gewartet h - | local | person animal | |
sit sits sat sat | sitzen sitzt saß gesessen h - | local | person animal | | noperf
work works worked worked | arbeiten arbeitet arbeitete gearbeitet h - | local with | person | | manner
sing sings sang sung | singen singt sang gesungen h - | local with | person | |
dance dances danced danced | tanzen tanzt tanzte getanzt h - | local with | person | | manner
play plays played played | spielen spielt spielte gespielt h - | local with | person animal | |
laugh laughs laughed laughed | lachen lacht lachte gelacht h - | plain | person | |
stand stands stood stood|stehen steht stand gestanden h -|thing-local|upright furniture owned||noperf nomodal state
lie lies lay lain | liegen liegt lag gelegen h - | thing-local | flat | | noperf nomodal state
arrive arrives arrived arrived | ankommen kommt kam angekommen s an | plain | person public | |
depart departs departed departed | abfahren fährt fuhr abgefahren s ab | plain | public | |
fall falls fell fallen +asleep | einschlafen schläft schlief eingeschlafen s ein | plain | person animal | | chance
wake wakes woke woken +up | aufwachen wacht wachte aufgewacht s auf | plain | person animal | | chance
get gets got got +up | aufstehen steht stand aufgestanden s auf | plain | person | | noperf
run runs ran run +away | weglaufen läuft lief weggelaufen s weg | plain | person animal | |
come comes came come +back | zurückkommen kommt kam zurückgekommen s zurück | plain | person animal | |
go goes went gone | gehen geht ging gegangen s - | motion | person | |
run runs ran run | laufen läuft lief gelaufen s - | motion | person animal | |
jump jumps jumped jumped | springen springt sprang gesprungen s - | jump | animal | |
come comes came come | kommen kommt kam gekommen s - | out | person animal | |
live lives lived lived | wohnen wohnt wohnte gewohnt h - | city | person | | state nomodal
travel travels travelled travelled | reisen reist reiste gereist s - | city-goal | person | |
put puts put put | legen legt legte gelegt h - | put | person | flat | nopast
place places placed placed | stellen stellt stellte gestellt h - | put | person | upright | passive
say says said said | sagen sagt sagte gesagt h - | that | person | |
know knows knew known | wissen weiß wusste gewusst h - | that | person | | noperf nomodal
believe believes believed believed | glauben glaubt glaubte geglaubt h - | that | person | | noperf
hope hopes hoped hoped | hoffen hofft hoffte gehofft h - | that | person | | noperf
ask asks asked asked | fragen fragt fragte gefragt h - | whether | person | |
rain rains rained rained | regnen regnet regnete geregnet h - | weather | | |
be is was been | sein ist war gewesen s - | copula | | |
"""


@dataclass(frozen=True)
class Verb:
    """`sg`, `past` and `plural` are without the separable particle, `infinitive` and `participle` with it."""
    en: str
    en_s: str
    en_past: str
    en_participle: str
    en_particle: str
    en_preposition: str
    infinitive: str
    sg: str
    past: str
    participle: str
    auxiliary: str
    particle: str
    frames: frozenset
    subjects: str
    objects: str
    flags: frozenset

    def __hash__(self):
        return hash((self.en, self.infinitive))

    def finite(self, tense, plural):
        """The German finite form without the particle; tense is "present" or "past"."""
        if tense == "past":
            return german_past(self.past, plural)
        if not plural:
            return self.sg
        return "sind" if self.infinitive == "sein" else self.infinitive[len(self.particle):]


def german_past(singular, plural):
    if not plural:
        return singular
    return singular + ("n" if singular.endswith("e") else "en")


def _parse():
    verbs = []
    for line in _VERBS.strip().splitlines():
        english, german, frames, subjects, objects, flags = (part.strip() for part in line.split("|"))
        words = english.split()
        extra = words[4] if len(words) > 4 else ""
        de = german.split()
        particle, preposition = (extra[1:] if extra.startswith(mark) else "" for mark in "+~")
        verbs.append(Verb(*words[:4], particle, preposition, *de[:5], "" if de[5] == "-" else de[5],
                          frozenset(frames.split()), subjects, objects, frozenset(flags.split())))
    return tuple(verbs)


VERBS = _parse()
_BY_FRAME = {}


def verbs_with(frame):
    if frame not in _BY_FRAME:
        _BY_FRAME[frame] = tuple(v for v in VERBS if frame in v.frames)
    return _BY_FRAME[frame]


BE = verbs_with("copula")[0]

# Modals and the future: (english present, english past or "", german singular, plural, past or "").
MODALS = {"can": ("can", "could", "kann", "können", "konnte"), "must": ("must", "had to", "muss", "müssen", "musste"),
          "should": ("should", "", "soll", "sollen", ""), "want": ("wants to", "wanted to", "will", "wollen", "wollte"),
          "may": ("may", "", "darf", "dürfen", ""), "will": ("will", "", "wird", "werden", "")}
AUXILIARIES = {"h": ("hat", "haben"), "s": ("ist", "sind")}
PASSIVE = {"present": ("wird", "werden"), "past": ("wurde", "wurden")}
