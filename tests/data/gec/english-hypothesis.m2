S My brother go to school by the foot every days .
A 2 3|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0
A 6 7|||U:DET||||||REQUIRED|||-NONE-|||0
A 9 10|||R:NOUN:NUM|||day|||REQUIRED|||-NONE-|||0

S I have saw this movie two time already .
A 1 3|||R:VERB:TENSE|||saw|||REQUIRED|||-NONE-|||0
A 6 7|||R:NOUN:NUM|||times|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB:FORM|||seen|||REQUIRED|||-NONE-|||1
A 5 7|||R:OTHER|||twice|||REQUIRED|||-NONE-|||1

S The weather is fine today .
A 4 4|||M:ADV|||very|||REQUIRED|||-NONE-|||0

S Sadly he forgot umbrella and get wet
A 1 1|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 3 3|||M:DET|||the|||REQUIRED|||-NONE-|||0
A 5 6|||R:VERB:TENSE|||got|||REQUIRED|||-NONE-|||0
A 7 7|||M:PUNCT|||.|||REQUIRED|||-NONE-|||0

S Me and my friends likes the swimming .
A 4 5|||R:VERB:SVA|||like|||REQUIRED|||-NONE-|||0
A 5 7|||R:OTHER|||to swim|||REQUIRED|||-NONE-|||0

S Thing what matter is to be able for keep calm .
A 0 2|||UNK|||Thing what|||REQUIRED|||-NONE-|||0
A 7 9|||R:OTHER|||to keep|||REQUIRED|||-NONE-|||0

S She told very very funny jokes .
A 4 4|||M:ADV|||really|||REQUIRED|||-NONE-|||0
A 6 6|||M:OTHER|||to us|||REQUIRED|||-NONE-|||0
A 6 6|||M:OTHER|||to us|||REQUIRED|||-NONE-|||0

S They lives near of the sea since ten years

