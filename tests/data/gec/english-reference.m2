S My brother go to school by the foot every days .
A 2 3|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0
A 5 8|||R:OTHER|||on foot|||REQUIRED|||-NONE-|||0
A 9 10|||R:NOUN:NUM|||day|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB|||walks|||REQUIRED|||-NONE-|||1
A 5 8|||U:OTHER||||||REQUIRED|||-NONE-|||1
A 9 10|||R:NOUN:NUM|||day|||REQUIRED|||-NONE-|||1

S I have saw this movie two time already .
A 2 3|||R:VERB:FORM|||seen|||REQUIRED|||-NONE-|||0
A 5 7|||R:ADV|||twice|||REQUIRED|||-NONE-|||0
A 6 7|||R:NOUN:NUM|||times|||REQUIRED|||-NONE-|||1

S The weather is fine today .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Sadly he forgot umbrella and get wet
A 1 1|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 3 3|||M:DET|||his|||REQUIRED|||-NONE-|||0
A 5 6|||R:VERB:TENSE|||got|||REQUIRED|||-NONE-|||0
A 7 7|||M:PUNCT|||.|||REQUIRED|||-NONE-|||0
A 3 3|||M:DET|||an|||REQUIRED|||-NONE-|||1
A 5 6|||R:VERB:TENSE|||got|||REQUIRED|||-NONE-|||1
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||2

S Me and my friends likes the swimming .
A 0 4|||R:WO|||My friends and I|||REQUIRED|||-NONE-|||0
A 4 5|||R:VERB:SVA|||like|||REQUIRED|||-NONE-|||0
A 5 6|||U:DET||||||REQUIRED|||-NONE-|||0

S Thing what matter is to be able for keep calm .
A 0 2|||UNK|||Thing what|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB:SVA|||matters|||REQUIRED|||-NONE-|||0
A 7 8|||R:PART|||to|||REQUIRED|||-NONE-|||0
A 0 2|||R:OTHER|||What|||REQUIRED|||-NONE-|||1
A 2 3|||R:VERB:SVA|||matters|||REQUIRED|||-NONE-|||1
A 7 8|||R:PART|||to|||REQUIRED|||-NONE-|||1

S She told very very funny jokes .
A 2 3|||U:ADV||||||REQUIRED|||-NONE-|||0
A 4 4|||M:ADV|||really|||REQUIRED|||-NONE-|||0
A 4 4|||M:ADV|||really|||REQUIRED|||-NONE-|||0

S They lives near of the sea since ten years
A 1 2|||R:VERB:TENSE|||have lived|||REQUIRED|||-NONE-|||0
A 3 4|||U:PREP||||||REQUIRED|||-NONE-|||0
A 6 7|||R:PREP|||for|||REQUIRED|||-NONE-|||0
A 9 9|||M:PUNCT|||.|||REQUIRED|||-NONE-|||0

