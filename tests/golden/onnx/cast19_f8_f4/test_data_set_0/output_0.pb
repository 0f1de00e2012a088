ByJ0Ø:CmøB!!CÅÀC^š>C=
)AFö•B`Å=C\¶B+g=C¦
B®A