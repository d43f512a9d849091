S This are gramamtical sentence .
A 1 2|||UNK|||is|||REQUIRED|||-NONE-|||0
A 2 2|||M:DET|||a|||REQUIRED|||-NONE-|||0
A 2 3|||R:SPELL|||grammatical|||REQUIRED|||-NONE-|||0
A 1 2|||UNK|||is|||REQUIRED|||-NONE-|||1
A 2 2|||M:DET|||a|||REQUIRED|||-NONE-|||1
A 2 3|||R:SPELL|||grammatical|||REQUIRED|||-NONE-|||1

S She go to school yesterday .
A 1 2|||R:VERB:TENSE|||went|||REQUIRED|||-NONE-|||0
A 0 1|||M:NOUN|||Yesterday she|||REQUIRED|||-NONE-|||1
A 1 2|||R:VERB:TENSE|||went|||REQUIRED|||-NONE-|||1
A 3 3|||M:DET|||the|||REQUIRED|||-NONE-|||1
A 4 5|||U:NOUN||||||REQUIRED|||-NONE-|||1

S He likes apples .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 2 2|||M:DET|||the|||REQUIRED|||-NONE-|||1

