alpha beta gamma
