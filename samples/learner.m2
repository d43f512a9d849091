S 저는 어제 친구 를 만나요 .
A 2 4|||WS|||친구를|||REQUIRED|||-NONE-|||0
A 4 5|||CONJUGATION|||만났어요|||REQUIRED|||-NONE-|||0

S 우리는 공원에서 재미있게 놀았습니다 .
A -1 -1|||noop||||||REQUIRED|||-NONE-|||0

S 주말에 어머니께서 만드신 김밥을 먹었어요
A 5 5|||INSERTION|||.|||REQUIRED|||-NONE-|||0

