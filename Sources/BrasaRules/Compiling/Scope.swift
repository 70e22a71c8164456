/// Where a name is looked up: the file, a service or a match block, each within the one before.
struct Scope {
    struct Capture {
        var name: String
        /// The segment of the block's whole pattern.
        var segment: Int
    }

    var parent: Int?
    var functions: [String: Int] = [:]
    var captures: [Capture] = []
    /// Segments of the whole pattern, and captures in it.
    var patternCount = 0
    var captureCount = 0
    var hasGlob = false
}

/// A function and the scope that it is declared in.
struct FunctionDeclaration {
    var syntax: FunctionSyntax
    var scope: Int
    var isUsed = false
    /// The functions that its body calls, each once.
    var calls: [Int] = []
}

/// What a function's body can see beside its scope.
struct Locals {
    struct Local {
        var name: NameSyntax
        var types: TypeSet
        var isUsed = false
    }

    var all: [Local] = []

    func index(of name: String) -> Int? { self.all.lastIndex { $0.name.text == name } }
}
