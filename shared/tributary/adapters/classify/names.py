"""The words that a label is made of: kinds of notes, sessions, who speaks.

A label that holds none of these names a topic: an environment, a component, a customer.
"""

from tributary.adapters.classify.lexicon import word_set

# Words of a label that say nothing of what the statement is about.
GENRES = word_set(
    """
    note notes todo fixme tip hint fact lesson lessons learned learnt remember reminder fyi info
    warning warn caution important attention memo update summary observation insight takeaway
    rule finding example
    """
)
SESSIONS = word_set("session turn message conversation chat dialogue day part")
SAYING = word_set("said says say wrote writes asked replied answered added told mentioned noted")
# Roles, and the commoner given names.
SPEAKERS = word_set(
    """
    user assistant human ai
    aaron adam ahmed aisha alan alex alexander alice amanda amy ana andrea andrew andy angela anita
    ann anna anne anthony anton arjun arthur audrey barbara ben benjamin beth bob boris brandon
    brian bruno calvin carl carla carlos carmen carol caroline catherine charles charlie chen chloe
    chris christian christina claire clara daisy dan dana daniel dave david deborah dennis diana
    diego donna dylan elena eli elias elizabeth ella emily emma eric erik ethan eva evan eve fatima
    felix fiona frank gabriel gary george gina grace greg hannah harry heather helen henry hugo ian
    ines ingrid irene isabel ivan jack jacob james jan jane jason jean jeff jennifer jenny jessica
    jim jo joan joanna joe john jolene jon jonas jonathan jose joseph josh juan judy julia
    julie karen kate katie keith kelly ken kevin kumar laura lee lena leo liam lily linda
    lisa louis lucas lucy luis luke maria marie mario marta martin mary matt maya megan mei
    mel melanie melissa mia michael michelle mike mohammed monica nadia nancy natalie nate nathan
    nick nicole nina noah nora oliver olivia omar oscar otto pam pat patricia paul paula pedro peter
    phil priya rachel raj ravi rebecca richard rita rob robert robin roger rosa ruth ryan sam
    samantha samuel sandra sara sarah scott sean simon sophie stephanie stephen steve steven
    sue susan tara ted teresa theo thomas tim tina tom tony tyler uma vera victor wei wendy
    william xavier yuki yusuf zoe
    """
)
