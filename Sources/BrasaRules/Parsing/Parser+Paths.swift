import BrasaBytes
internal import BrasaDocuments

extension Parser {
    /// A segment of a pattern or of a path in an expression, before either has said what it may be.
    private enum Segment {
        case literal(SourceRange)
        case variable(NameSyntax, isGlob: Bool)
        case interpolation(ExpressionID)
    }

    /// `/a/{b}/{c=**}` after `match`.
    mutating func pattern() throws(ParseFailure) -> [PatternSegmentSyntax] {
        var pattern: [PatternSegmentSyntax] = []
        repeat {
            switch try self.segment(mayInterpolate: false) {
            case .literal(let range): pattern.append(.literal(self.decoded(range, plusIsSpace: false)))
            case .variable(let name, let isGlob): pattern.append(.capture(name, isGlob: isGlob))
            case .interpolation: throw self.unexpected()
            }
        } while self.isAtSegment
        return pattern
    }

    /// `/a/$(b)/{c}` in an expression.
    mutating func path() throws(ParseFailure) -> ExpressionID {
        let start = self.token.range
        var segments: [PathSegmentSyntax] = []
        var height = 0
        repeat {
            switch try self.segment(mayInterpolate: true) {
            case .literal(let range): segments.append(.literal(self.decoded(range, plusIsSpace: true)))
            case .variable(let name, let isGlob): segments.append(.variable(name: name.text, isGlob: isGlob))
            case .interpolation(let expression):
                segments.append(.interpolation(expression))
                height = max(height, self.expressions[expression].height)
            }
        } while self.isAtSegment
        return try self.add(.path(segments), from: start, height: height)
    }

    /// A slash that divides would be one at the end of a path, too.
    private var isAtSegment: Bool { self.token.kind == .pathSlash }

    private mutating func segment(mayInterpolate: Bool) throws(ParseFailure) -> Segment {
        guard case .pathSlash = self.token.kind else {
            if self.isAt(.slash) {
                throw self.failure("Forward slash '/' found where identifier or binding expected.")
            }
            throw self.unexpected()
        }
        let start = self.token.range.end
        self.lexer.position = start
        switch self.lexer.byte(at: start) {
        case UInt8(ascii: "{"):
            self.advance(from: start + 1)
            let segment = try self.braces()
            guard self.isAt(.rightBrace) else { throw self.unexpected() }
            self.advance()
            return try self.checkedEnd(segment, mayInterpolate)
        case UInt8(ascii: "$") where self.lexer.byte(at: start + 1) == UInt8(ascii: "("):
            guard mayInterpolate else { throw self.failure("Unexpected '$'.", at: SourceRange(start, start + 1)) }
            self.advance(from: start + 2)
            let expression = try self.expression()
            try self.expect(.rightParenthesis)
            return try self.checkedEnd(.interpolation(expression), mayInterpolate)
        default:
            let range = self.lexer.segment(&self.diagnostics)
            guard range.end > range.start else {
                let character = SourceRange(start, start + 1)
                throw self.failure("Unexpected '\(self.lexer.text(character))'.", at: character)
            }
            self.advance(from: range.end)
            return try self.checkedEnd(.literal(range), mayInterpolate)
        }
    }

    /// A pattern may not end with a slash; in an expression what looks like one divides.
    private mutating func checkedEnd(_ segment: Segment, _ mayInterpolate: Bool) throws(ParseFailure) -> Segment {
        if !mayInterpolate, self.isAt(.slash) {
            throw self.failure("Forward slash '/' found where identifier or binding expected.")
        }
        return segment
    }

    /// `name`, `name=*` or `name=**`, up to the closing brace.
    private mutating func braces() throws(ParseFailure) -> Segment {
        let name = try self.name()
        var isGlob = false
        if self.skip(.assign) {
            try self.expect(.star)
            isGlob = self.skip(.star)
        }
        return .variable(name, isGlob: isGlob)
    }

    private mutating func decoded(_ range: SourceRange, plusIsSpace: Bool) -> UTF8Text {
        let bytes = self.lexer.bytes[range.start..<range.end]
        guard let decoded = PercentEncoding.decode(bytes, plusIsSpace: plusIsSpace) else { return "" }
        guard let text = UTF8Text(validating: decoded) else {
            self.diagnostics.error("token recognition error at: '%'", at: range)
            return ""
        }
        return text
    }
}
