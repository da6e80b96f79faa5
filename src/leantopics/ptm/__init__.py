"""The parsimonious topic model of Soleimani and Miller."""
