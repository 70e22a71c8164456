import BrasaBytes

extension MethodName {
    /// Nil when timestamps have no such method.
    func call(on time: RuleTimestamp, _ arguments: [RuleValue]) throws(EvaluationError) -> RuleValue? {
        guard arguments.isEmpty else { return nil }
        switch self {
        case .year: return .int(time.date.year)
        case .month: return .int(time.date.month)
        case .day: return .int(time.date.day)
        case .hours: return .int(time.hours)
        case .minutes: return .int(time.minutes)
        case .seconds: return .int(time.seconds)
        case .nanos: return .int(time.nanos)
        case .dayOfWeek: return .int(time.dayOfWeek)
        case .dayOfYear: return .int(time.dayOfYear)
        case .date: return .timestamp(time.midnight)
        case .time: return .duration(try RuleDuration(total: Int128(time.nanosOfDay)))
        case .toMillis: return .int(time.milliseconds)
        default: return nil
        }
    }

    /// Nil when durations have no such method.
    func call(on duration: RuleDuration, _ arguments: [RuleValue]) -> RuleValue? {
        guard arguments.isEmpty else { return nil }
        return switch self {
        case .seconds: .int(duration.seconds)
        case .nanos: .int(duration.nanos)
        default: nil
        }
    }

    /// Nil when places have no such method, or not for these arguments.
    func call(on place: (latitude: Double, longitude: Double), _ arguments: [RuleValue]) -> RuleValue? {
        switch (self, arguments.first) {
        case (.latitude, nil): return .float(place.latitude)
        case (.longitude, nil): return .float(place.longitude)
        case (.distance, .latlng(let latitude, let longitude)?) where arguments.count == 1:
            return .float(Geometry.distance(place, (latitude, longitude)))
        default: return nil
        }
    }
}
