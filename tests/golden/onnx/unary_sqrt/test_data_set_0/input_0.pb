(BxJ VŽFBdû†BßO]@R¸JA¦›$BNbŒA¼t
B`å€A\}B+ŒB¦Û«B‰A0@VEA×BTcyB
×wBßOÍ?éf³BX9äAsh@PAw¾OA5^iB%BXÚAþÔpA{ÇA˜‘Bú~B=
7?³Bãe¬B¾BNbiBÃõAƒÀMB)\—@ð§©A×c©B¶ó=A