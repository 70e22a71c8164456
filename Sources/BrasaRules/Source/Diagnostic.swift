/// What the compiler has to say about one place of a rules file. A file with an error is not installed; one with
/// warnings is.
package struct Diagnostic: Hashable, Sendable {
    package enum Severity: Hashable, Sendable {
        case warning, error
    }

    package let severity: Severity
    package let message: String
    package let position: SourcePosition
}

extension Diagnostic: CustomStringConvertible {
    package var description: String { "L\(self.position.line):\(self.position.column) \(self.message)" }
}

extension Diagnostic {
    /// As compilers put it.
    package func located(in file: String) -> String {
        let severity = self.severity == .error ? "error" : "warning"
        return "\(file):\(self.position.line):\(self.position.column): \(severity): \(self.message)"
    }
}

/// Diagnostics in the order in which they were found, no more of each kind than anybody would read.
struct DiagnosticList {
    static let countMax = 100

    let source: SourceText
    private(set) var all: [Diagnostic] = []
    private var errors = 0
    private var warnings = 0

    init(_ source: SourceText) {
        self.source = source
    }

    var hasErrors: Bool { self.errors > 0 }
    /// Nothing that follows is worth looking at.
    var isFull: Bool { self.errors >= Self.countMax }

    mutating func error(_ message: @autoclosure () -> String, at range: SourceRange) {
        self.errors += 1
        if self.errors <= Self.countMax { self.append(.error, message(), range) }
    }

    mutating func warn(_ message: @autoclosure () -> String, at range: SourceRange) {
        self.warnings += 1
        if self.warnings <= Self.countMax { self.append(.warning, message(), range) }
    }

    private mutating func append(_ severity: Diagnostic.Severity, _ message: String, _ range: SourceRange) {
        let position = self.source.position(of: range)
        self.all.append(Diagnostic(severity: severity, message: message, position: position))
    }

    /// By place in the file.
    var sorted: [Diagnostic] {
        self.all.enumerated()
            .sorted { ($0.element.position.startOffset, $0.offset) < ($1.element.position.startOffset, $1.offset) }
            .map(\.element)
    }
}
