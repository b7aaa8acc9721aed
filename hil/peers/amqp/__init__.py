"""AMQP 0-9-1: RabbitMQ, the consumer that records, publishers."""
