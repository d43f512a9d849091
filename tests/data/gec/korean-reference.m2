S 한국어수업할때 너무 자고 싶었다
A 0 1|||WS|||한국어 수업할 때|||REQUIRED|||-NONE-|||0
A 4 4|||INSERTION|||.|||REQUIRED|||-NONE-|||0

S 저는 어제 친구을 만났어요 .
A 2 3|||PARTICLE|||친구를|||REQUIRED|||-NONE-|||0
A 1 3|||WO|||친구를 어제|||REQUIRED|||-NONE-|||1

S 날씨가 아주 추웁니다 .
A 2 3|||CONJUGATION|||춥습니다|||REQUIRED|||-NONE-|||0
A 2 3|||ENDING|||추워요|||REQUIRED|||-NONE-|||1
A 1 2|||MODIFIER|||매우|||REQUIRED|||-NONE-|||1

S 형이 집 에서 책을 읽었다 .
A 1 3|||WS|||집에서|||REQUIRED|||-NONE-|||0

S 우리는 내일 바다에 갈 거예요 .
A -1 -1|||noop||||||REQUIRED|||-NONE-|||0

S 할머니께서 맛있은 떡을 많이 많이 주었어요
A 1 2|||ENDING|||맛있는|||REQUIRED|||-NONE-|||0
A 4 5|||DELETION||||||REQUIRED|||-NONE-|||0
A 5 6|||CONJUGATION|||주셨어요|||REQUIRED|||-NONE-|||0
A 6 6|||INSERTION|||.|||REQUIRED|||-NONE-|||0

