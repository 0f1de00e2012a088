BxJTL·úB
WCªñnÁ•BÕx¹@D‹²AÛù¬AåÐ•Á¬œ—Â%F±BÛ9’B¬ÜÑB9ÂåÐÞÁ“˜LB²üBìQ¾A¢EÂøSKB¨¦C9ôÝB