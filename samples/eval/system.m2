S 저는 어제 친구 를 만나요 .
A 2 4|||SPELL|||친구를|||REQUIRED|||-NONE-|||0
A 4 5|||ENDING|||만났어요|||REQUIRED|||-NONE-|||0

S 한국음식이 아주 맛있습니다 .
A 0 1|||WS|||한국 음식이|||REQUIRED|||-NONE-|||0

S 나는 학교에 갓다 .
A 2 3|||SPELL|||갔다|||REQUIRED|||-NONE-|||0

S 주말에 공원을 갔어요
A 1 2|||PARTICLE|||공원에|||REQUIRED|||-NONE-|||0
A 3 3|||INSERTION|||.|||REQUIRED|||-NONE-|||0

S 그 영화는 재미있어서 다시 보고 싶읍니다 .
A 5 6|||SPELL|||싶습니다|||REQUIRED|||-NONE-|||0

S 동생이 저보다 키가 많아요 .
A 3 4|||ADJECTIVE|||커요|||REQUIRED|||-NONE-|||0

S 어제 빨리 밥을 먹고 잤어요 .
A 1 3|||WO|||밥을 빨리|||REQUIRED|||-NONE-|||0

S 우리는 바다에서 놀았습니다 .
A -1 -1|||noop||||||REQUIRED|||-NONE-|||0

S 선생님에게 편지를 쓰었어요 .
A 0 1|||PARTICLE|||선생님께|||REQUIRED|||-NONE-|||0
A 2 3|||SPELL|||썼어요|||REQUIRED|||-NONE-|||0

S 저는 매일 매일 운동을 해요 ?
A 1 2|||DELETION||||||REQUIRED|||-NONE-|||0
A 5 6|||PUNCT|||.|||REQUIRED|||-NONE-|||0

S 한국 사람들은 아주 친절하다고 생각해요 .
A 2 3|||MODIFIER|||정말|||REQUIRED|||-NONE-|||0

S 내 언니는 의사이었어요 .
A 0 1|||NOUN|||제|||REQUIRED|||-NONE-|||0
A 2 3|||SHORTEN|||의사였어요|||REQUIRED|||-NONE-|||0

