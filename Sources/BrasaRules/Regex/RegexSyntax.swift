/// A regular expression as it is written.
indirect enum RegexSyntax {
    case empty
    case characters(CharacterClass)
    case assertion(RegexAssertion)
    case concatenation([RegexSyntax])
    case alternation([RegexSyntax])
    case repetition(RegexSyntax, min: Int, max: Int?, isGreedy: Bool)
    case group(RegexSyntax, index: Int)
}

enum RegexAssertion {
    case textStart, textEnd, lineStart, lineEnd, wordBoundary, noWordBoundary
}
