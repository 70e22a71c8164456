internal import BrasaDocuments

/// A name where it is declared.
struct NameSyntax {
    var text: String
    var range: SourceRange
}

/// A whole rules file.
struct RulesetSyntax {
    /// 1 or 2.
    var version = 1
    var versionRange = SourceRange(0, 0)
    var functions: [FunctionSyntax] = []
    var services: [ServiceSyntax] = []
    var expressions = ExpressionTable()
}

struct ServiceSyntax {
    var name: NameSyntax
    var functions: [FunctionSyntax] = []
    var matches: [MatchSyntax] = []
}

struct MatchSyntax {
    var pattern: [PatternSegmentSyntax]
    var patternRange: SourceRange
    var functions: [FunctionSyntax] = []
    var matches: [MatchSyntax] = []
    var statements: [AllowSyntax] = []
}

/// One segment of a match block's pattern.
enum PatternSegmentSyntax {
    case literal(UTF8Text)
    case capture(NameSyntax, isGlob: Bool)
}

struct AllowSyntax {
    var methods: MethodSet
    /// Nil: always.
    var condition: ExpressionID?
    var range: SourceRange
}

struct FunctionSyntax {
    struct Binding {
        var name: NameSyntax
        var value: ExpressionID
    }

    var name: NameSyntax
    var parameters: [NameSyntax]
    var lets: [Binding]
    var result: ExpressionID
}
