import Logging

/// What became of a look at rules that may have changed.
enum RuleReload: Hashable {
    /// Rules that cannot be used, and where.
    typealias Failure = RuleFileText.Failure

    case unchanged
    case changed(warnings: [String])
    /// The rules of before go on.
    case failed(Failure)

    func tell(_ source: String, _ logger: Logger) {
        switch self {
        case .unchanged: break
        case .changed(let warnings):
            logger.notice("calls are judged by new rules", metadata: ["source": "\(source)"])
            Self.tell(warnings, logger)
        case .failed(let failure):
            logger.error("the rules of before go on, since others cannot be used", metadata: ["error": "\(failure)"])
        }
    }

    static func tell(_ warnings: [String], _ logger: Logger) {
        for warning in warnings { logger.warning("a warning about the rules", metadata: ["warning": "\(warning)"]) }
    }
}
