/// What the command line asks for.
struct BoardOptions: Sendable {
    static let usage = "usage: TerminalBoard COLLECTION [--order FIELD] [--descending] [--seconds N]"

    var collection: String
    var order: String?
    var isDescending = false
    var seconds: Double?

    init(_ arguments: some Sequence<String>) throws(BoardOptionsError) {
        var collections: [String] = []
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            switch argument {
            case "--order":
                guard let field = rest.next() else { throw BoardOptionsError("--order needs a field") }
                self.order = field
            case "--descending":
                self.isDescending = true
            case "--seconds":
                guard let seconds = rest.next().flatMap(Double.init), (0...1e9).contains(seconds) else {
                    throw BoardOptionsError("--seconds needs a number")
                }
                self.seconds = seconds
            case _ where argument.hasPrefix("-"):
                throw BoardOptionsError("unknown option \(argument)")
            default:
                collections.append(argument)
            }
        }
        guard let collection = collections.first, collections.count == 1 else {
            throw BoardOptionsError("one collection is needed")
        }
        self.collection = collection
    }
}

struct BoardOptionsError: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
